"""`python -m rag`: the command line, where the script `candor` is not on the path."""

from rag.cli import main

if __name__ == "__main__":
    main()
