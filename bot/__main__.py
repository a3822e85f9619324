"""`python -m bot`."""

from bot.cli import main

if __name__ == "__main__":
    main(prog_name="paragraf")
