* minimum vertex covers of the Petersen graph: 5 of 6 vertices each
NAME          PETERSEN
ROWS
 N  SIZE
 G  E01
 G  E12
 G  E23
 G  E34
 G  E40
 G  E05
 G  E16
 G  E27
 G  E38
 G  E49
 G  E57
 G  E79
 G  E96
 G  E68
 G  E85
COLUMNS
    V0  SIZE 1  E01 1
    V0  E40 1   E05 1
    V1  SIZE 1  E01 1
    V1  E12 1   E16 1
    V2  SIZE 1  E12 1
    V2  E23 1   E27 1
    V3  SIZE 1  E23 1
    V3  E34 1   E38 1
    V4  SIZE 1  E34 1
    V4  E40 1   E49 1
    V5  SIZE 1  E05 1
    V5  E57 1   E85 1
    V6  SIZE 1  E16 1
    V6  E96 1   E68 1
    V7  SIZE 1  E27 1
    V7  E57 1   E79 1
    V8  SIZE 1  E38 1
    V8  E68 1   E85 1
    V9  SIZE 1  E49 1
    V9  E79 1   E96 1
RHS
    RHS E01 1   E12 1
    RHS E23 1   E34 1
    RHS E40 1   E05 1
    RHS E16 1   E27 1
    RHS E38 1   E49 1
    RHS E57 1   E79 1
    RHS E96 1   E68 1
    RHS E85 1
BOUNDS
 BV BND V0
 BV BND V1
 BV BND V2
 BV BND V3
 BV BND V4
 BV BND V5
 BV BND V6
 BV BND V7
 BV BND V8
 BV BND V9
ENDATA
