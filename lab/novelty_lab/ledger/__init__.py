"""The ledger: every claim of the paper beside what our records say about it."""
