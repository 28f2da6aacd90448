1,1,1
TriadSet([Triad([Matrix(1, 1, [[1]]), Matrix(1, 1, [[1]]), Matrix(1, 1, [[1]])])])