"""Write the tables of all pages."""

from docs.hooks.tables import main

if __name__ == "__main__":
    main()
