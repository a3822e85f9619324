"""A model server that behaves as badly as it is told to, and evidence for it to phrase."""
