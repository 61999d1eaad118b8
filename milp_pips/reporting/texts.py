"""What is said about the numbers and plots: how each is to be read."""

METHOD = (
    "A run counts as solved if the engine's solution passed the rules of the puzzle, or if its word that "
    "there is none was confirmed, and the task was finished. Times are wall-clock seconds from the puzzle in "
    "memory to the answer: stating the model and solving it. Repeats and seeds of one puzzle are first "
    "replaced by their median (unsolved, if half of them or more are); all other figures are over puzzles."
)
TABLE = (
    "Mean: shifted geometric mean (Achterberg 2007), shift {shift:g} s; unsolved puzzles count with the limit. "
    "PAR-10: arithmetic mean in which they count ten times the limit. Median with its 95 % confidence "
    "interval by order statistics; middle half: between the quartiles. “>” and the limit: an unsolved puzzle. "
    "The best figure of a column is bold."
)
CACTUS = (
    "Each curve sorts the times of one configuration: the point (n, t) says that its n-th quickest puzzle took "
    "t. The further to the right a curve ends, the more was solved; the lower it runs, the quicker. The dashed "
    "line is the time limit."
)
PROFILE = (
    "How far from the best, puzzle by puzzle (performance profile, Dolan and Moré 2002). At the left edge: the "
    "share of puzzles on which the configuration was the quickest. At 4×: the share it solved in at most four "
    "times the best time. The height at the right edge is the share it solved at all."
)
SIZE = (
    "A point is a puzzle. Lines join the medians of puzzles of similar size, the bands hold the middle half of "
    "them. Crosses above the dashed line are puzzles that were not solved within the limit."
)
FOLDER = (
    "One block for each folder the puzzles came from, with the number of puzzles. Faint points are puzzles, a "
    "bar holds the middle half, the mark is the median; a cross at the limit, with their number, stands for "
    "unsolved ones."
)
CONSTRAINT = (
    "As above, by the kinds of constraints that occur in a puzzle. A puzzle with several kinds is in "
    "several blocks, so the blocks overlap."
)
PHASES = (
    "Mean seconds spent on reading the file, stating the model to the engine (build) and solving it, on the "
    "{count} puzzles that all configurations solved. Bars of seconds, not of a logarithm: lengths may be added."
)
PAIR = (
    "A point is a puzzle; beyond the dashed lines it was not solved within the limit. The colour is that of "
    "the quicker one: points above the diagonal were quicker by the configuration of the horizontal axis."
)
HEAD_TO_HEAD = (
    "Ratio: the median over puzzles of the second one's time divided by the first one's, on puzzles that both "
    "have run, with its 95 % confidence interval by order statistics (Conover 1999, sign test). Where one of "
    "the two did not solve the puzzle, the ratio is 0 or ∞, whatever the limit was; where neither did, there is "
    "none. If 1 lies outside the interval, one is quicker than the other on most puzzles of this kind."
)
MODELS = "Medians over all runs for which the figure is known."
HARDEST = "Puzzles that most configurations could not solve come first, then the slowest ones."
UNSOLVED = "Every run without the answer that was asked for. None of them is left out of any figure above."
FILES = "Beside this page lie its plots as SVG files, and all runs with all figures in runs.csv."
