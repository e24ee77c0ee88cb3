"""The observer that grows: focus, width and depth, chosen by description length."""
