*SENSE:Maximize
NAME          w
ROWS
 N  OBJ
 L  cap
 L  hi
 G  lo
COLUMNS
    MARK      'MARKER'                 'INTORG'
    x         cap        1.000000000000e+00
    x         hi         1.000000000000e+00
    x         lo         1.000000000000e+00
    x         OBJ        2.000000000000e+00
    MARK      'MARKER'                 'INTEND'
    MARK      'MARKER'                 'INTORG'
    y         cap        1.000000000000e+00
    y         hi        -1.000000000000e+00
    y         lo        -1.000000000000e+00
    y         OBJ        3.000000000000e+00
    MARK      'MARKER'                 'INTEND'
    MARK      'MARKER'                 'INTORG'
    z         cap        1.000000000000e+00
    z         OBJ       -1.000000000000e+00
    MARK      'MARKER'                 'INTEND'
RHS
    RHS       cap        4.000000000000e+00
    RHS       hi         2.000000000000e+00
    RHS       lo         1.000000000000e+00
BOUNDS
 LO BND       x         -1.000000000000e+00
 UP BND       x          3.000000000000e+00
 UP BND       y          2.000000000000e+00
 BV BND       z       
ENDATA
