"""Small models that may phrase an answer: prompt in, raw draft out. Others decide what is shown."""
