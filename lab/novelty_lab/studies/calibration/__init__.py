"""False positives, power and coverage of every test and interval."""
