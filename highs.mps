NAME        w
OBJSENSE
  MAX
ROWS
 N  Obj     
 L  r0      
 L  r1      
COLUMNS
    MARK0000  'MARKER'                 'INTORG'
    x         Obj       2
    x         r0        1
    x         r1        1
    y         Obj       3
    y         r0        1
    y         r1        -1
    z         Obj       -1
    z         r0        1
    MARK0001  'MARKER'                 'INTEND'
RHS
    RHS_V     r0        4
    RHS_V     r1        2
RANGES
    RANGE     r1        1
BOUNDS
 LI BOUND     x         -1
 UI BOUND     x         3
 UI BOUND     y         2
 BV BOUND     z       
ENDATA
