"""Streams: one pair at a time, the score after every pair."""

from learnable_novelty.observer.online.observer import MAX_COUNT_PER_PENALTY, OnlineObserver
from learnable_novelty.observer.online.sums import StreamSums

__all__ = ["MAX_COUNT_PER_PENALTY", "OnlineObserver", "StreamSums"]
