"""One router a module; each `build` returns a fresh one, so that a dispatcher can be built more than once."""
