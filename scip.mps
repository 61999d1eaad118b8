* SCIP STATISTICS
*   Problem name     : HAND
*   Variables        : 3 (1 binary, 2 integer, 0 implicit integer, 0 continuous)
*   Constraints      : 2
NAME          HAND
OBJSENSE
  MAX
ROWS
 N  Obj 
 L  CAP 
 L  DIFF 
COLUMNS
    INTSTART  'MARKER'                            'INTORG'                           
    X         Obj                              2  CAP                              1 
    X         DIFF                             1 
    Y         Obj                              3  CAP                              1 
    Y         DIFF                            -1 
    Z         Obj                             -1  CAP                              1 
    INTEND    'MARKER'                            'INTEND'                           
RHS
    RHS       CAP                              4  DIFF                             2 
RANGES
    RANGE     DIFF                             1 
BOUNDS
 BV Bound     Z                                  
 LO Bound     X                               -1 
 UP Bound     X                                3 
 UP Bound     Y                                2 
ENDATA