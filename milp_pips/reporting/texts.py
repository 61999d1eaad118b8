"""What is said about the numbers and plots: how each is to be read."""

METHOD = (
    "A run counts as solved if the task was finished: every solution has passed the rules of its puzzle, "
    "and the word that there is no further one was confirmed by another way. Times are wall-clock seconds "
    "to state the puzzle to the engine and to solve it, without reading the file. Repeats and seeds of one "
    "puzzle are first replaced by their median (unsolved, if half of them or more are); all other figures "
    "are over puzzles. Puzzles that are not solved stay in every figure."
)
FILES = "Beside this page lie its plots as SVG files, and all runs with all figures in runs.csv."
TABLE = (
    "Mean: shifted geometric mean (Achterberg 2007), shift {shift:g} s, an unsolved puzzle counting as the "
    "limit. PAR-10: arithmetic mean, an unsolved puzzle counting as ten times the limit. Median with its "
    "95 % confidence interval by order statistics. Middle half: from the lower to the upper quartile. “>” "
    "and the limit: an unsolved puzzle. The best figure of a column is bold."
)
CACTUS = (
    "Each curve sorts the times of one configuration: the point (n, t) says that its n-th quickest puzzle "
    "took t. The further to the right a curve ends, the more was solved; the lower it runs, the quicker. The "
    "dashed line is the time limit."
)
PROFILE = (
    "The performance profile (Dolan and Moré 2002). At the left edge: the share of puzzles on which the "
    "configuration was the quickest. At 4×: the share it solved in at most four times the best time of the "
    "puzzle. The height at the right edge is the share it solved at all."
)
SIZE = (
    "A faint point is a puzzle. Lines join the medians of puzzles of similar size; bands, drawn for up to "
    "six configurations, hold the middle half of them. Crosses above the dashed line, the limit, are "
    "puzzles that were not solved."
)
FOLDER = (
    "One block for each folder the puzzles came from, with the number of puzzles. Faint points are puzzles, "
    "a bar holds the middle half, the mark is the median. A cross at the limit stands for unsolved ones."
)
CONSTRAINT = (
    "One block for each kind of constraint, with the number of puzzles that have it; a puzzle with several "
    "kinds is in several blocks. Points, bars, marks and crosses are as by folder: puzzles, their middle "
    "half, their median, unsolved ones."
)
PHASES = (
    "Mean seconds spent on reading the file, on stating the model to the engine (build) and on solving it, "
    "over the {count} puzzles that all configurations solved. The scale is linear: lengths may be added."
)
PAIR = (
    "A point is a puzzle, in the colour of the quicker one: above the diagonal that is the configuration of "
    "the horizontal axis. Crosses beyond the dashed lines, the limit, were not solved."
)
HEAD_TO_HEAD = (
    "The ratio is the median, over the puzzles that both have run, of the time divided by that of the other, "
    "with its 95 % confidence interval by order statistics (sign test; Conover 1999). Where only one of the "
    "two solved a puzzle, its ratio is 0 or ∞; where neither did, there is none. If 1 lies outside the "
    "interval, one is quicker on most puzzles of this kind. The last columns count the puzzles on which it "
    "was quicker or slower than the other, or neither of them solved."
)
MODELS = "Medians over all runs for which the figure is known."
HARDEST = "Puzzles that most configurations could not solve come first, then the slowest ones."
UNSOLVED = "Every run without the answer that was asked for."
