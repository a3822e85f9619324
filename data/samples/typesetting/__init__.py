"""Sets a `Book` as a PDF that looks like a printed Russian school textbook."""
