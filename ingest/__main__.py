"""`python -m ingest`: loads textbooks into the store. `paragraf ingest` runs it as a child process."""

if __name__ == "__main__":
    from ingest.command import main

    main(prog_name="paragraf ingest")
