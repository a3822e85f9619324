"""What a model wrote, held against the fragments it was given: closed world, support, neutralised input."""
