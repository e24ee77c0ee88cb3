"""The score in other people's frameworks: scikit-learn, torchmetrics, Lightning."""
