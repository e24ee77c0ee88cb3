"""Answers that have an order, in words and in bands."""

import pandas as pd
import pytest

from learnable_novelty.data.reading import read_table
from learnable_novelty.data.scales import ordered_values


@pytest.mark.parametrize(
    "answers",
    [
        "strongly disagree; Disagree; Neither agree nor disagree; Agree; Strongly agree",
        "stimme gar nicht zu; stimme eher nicht zu; teils/teils; stimme eher zu; stimme voll zu",
        "Pas du tout d\u2019accord; Plut\u00f4t pas d'accord; D'accord; Tout \u00e0 fait d'accord",
        "Nunca; A veces; Siempre",
        "mai; a volte; spesso; sempre",
        "XS; S; M; XL",
        "Po; TA; Gd; Ex",
        "1 - very bad; 2 - bad; 5 - very good",
        "<1 year; 1-2 years; 3-5 years; 10+ years",
        "under 18; 18 to 24; 25 to 64; 65 and older",
        "$0-$999; $1,000-$1,999; $2,000+",
        "3 years; 5 years; 10 years",
    ],
)
def test_scales_and_bands_rise_in_the_order_that_they_mean(answers):
    levels = answers.split("; ")
    values = ordered_values(levels[::-1])
    assert values is not None and sorted(values, reverse=True) == values
    assert len(set(values)) == len(levels)


@pytest.mark.parametrize(
    "words", ["red; blue; green", "3-1; 2-2; 0-1", "1-3; 2-5; 4-6", "yes; no", "good; red; bad"]
)
def test_other_words_have_no_order(words):
    assert ordered_values(words.split("; ")) is None


def test_answers_become_numbers_unless_the_user_wants_a_category():
    frame = pd.DataFrame({"rating": ["agree", "disagree", None, "neutral"] * 5, "x": range(20)})
    table = read_table(frame)
    assert table["rating"].values[[0, 1, 3]].tolist() == [3, 1, 2] and table["rating"].missing == 5
    (decision,) = [one for one in table.decisions if "order" in one]
    assert decision == "rating has answers in an order, 1 to 3: disagree < neutral < agree"
    assert (decision.column, decision.option) == ("rating", "kinds={'rating': 'category'}")
    assert read_table(frame, kinds={"rating": "category"})["rating"].kind == "category"
    kept = frame.assign(rating=pd.Categorical(["b", "a", None, "c"] * 5, ["c", "b", "a"], True))
    assert read_table(kept)["rating"].values[[0, 1, 3]].tolist() == [2, 3, 1]
