graph [
  directed 1
  claim "class"
  node [ id 0 label "x1" ]
  node [ id 1 label "x2" ]
  node [ id 2 label "x3" ]
  node [ id 3 label "x4" ]
  node [ id 4 label "x5" ]
  edge [ source 2 target 3 weight 1.8205669978469208 cpdag "directed" ]
  edge [ source 4 target 0 weight 1.7862355960929674 cpdag "undirected" ]
  edge [ source 4 target 1 weight 1.6943046440939098 cpdag "undirected" ]
  edge [ source 0 target 3 weight -1.4054730601611427 cpdag "directed" ]
]
