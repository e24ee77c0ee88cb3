"""The paper, figure by figure."""
