* Source:     Pyomo MPS Writer
* Format:     Free MPS
*
NAME w
OBJSENSE
 MAX
ROWS
 N  x4
 L  c_u_x5_
 G  r_l_x6_
 L  r_u_x6_
COLUMNS
     x1 x4 2
     x1 c_u_x5_ 1
     x1 r_l_x6_ 1
     x1 r_u_x6_ 1
     x2 x4 3
     x2 c_u_x5_ 1
     x2 r_l_x6_ -1
     x2 r_u_x6_ -1
     x3 x4 -1
     x3 c_u_x5_ 1
RHS
     RHS c_u_x5_ 4
     RHS r_l_x6_ 1
     RHS r_u_x6_ 2
BOUNDS
 LI BOUND x1 -1
 UI BOUND x1 3
 LI BOUND x2 0
 UI BOUND x2 2
 BV BOUND x3
ENDATA
