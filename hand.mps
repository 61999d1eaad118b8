* by hand
NAME          HAND
OBJSENSE
    MAX
ROWS
 N  COST
 N  FREEROW
 L  CAP
 G  DIFF
COLUMNS
    MARKER                 'MARKER'                 'INTORG'
    X         COST             2.0   CAP              1.0
    X         DIFF             1.0   FREEROW          7.0
    Y         COST             3.0   CAP              1.0
    Y         DIFF            -1.0
    Z         COST            -1.0   CAP              1.0
    MARKER                 'MARKER'                 'INTEND'
RHS
    RHS       CAP              4.0   DIFF             1.0
RANGES
    RNG       DIFF             1.0
BOUNDS
 LI BND       X               -1.0
 UI BND       X                3.0
 UI BND       Y                2.0
 BV BND       Z
ENDATA
