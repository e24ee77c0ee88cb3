"""Streams: one pair at a time, the score after every pair."""

from learnable_novelty.observer.online.observer import OnlineObserver
from learnable_novelty.observer.online.rounding import MAX_COUNT_PER_PENALTY
from learnable_novelty.observer.online.streams import StreamSums

__all__ = ["MAX_COUNT_PER_PENALTY", "OnlineObserver", "StreamSums"]
