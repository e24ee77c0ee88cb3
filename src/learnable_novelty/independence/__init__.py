"""A test of independence: is there any dependence between x and y, and of what kind?"""
