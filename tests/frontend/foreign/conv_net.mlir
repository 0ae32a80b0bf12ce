#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d1, 0, 0)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1) -> (d1)>
#map5 = affine_map<(d0, d1) -> (d0)>
#map6 = affine_map<(d0, d1) -> (d0, 0)>
module {
  func.func @main(%arg0: tensor<2x2x4x4xf32>) -> tensor<2x5xf32> {
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 1.000000e+00 : f32
    %cst_1 = arith.constant 0xFF800000 : f32
    %cst_2 = arith.constant dense_resource<torch_tensor_5_torch.float32> : tensor<5xf32>
    %cst_3 = arith.constant dense_resource<torch_tensor_5_16_torch.float32> : tensor<5x16xf32>
    %cst_4 = arith.constant dense_resource<torch_tensor_4_torch.float32_4> : tensor<4xf32>
    %cst_5 = arith.constant dense_resource<torch_tensor_4_torch.float32_3> : tensor<4xf32>
    %cst_6 = arith.constant 1.000000e-05 : f64
    %cst_7 = arith.constant dense_resource<torch_tensor_4_torch.float32_2> : tensor<4xf32>
    %cst_8 = arith.constant dense_resource<torch_tensor_4_torch.float32_1> : tensor<4xf32>
    %cst_9 = arith.constant dense_resource<torch_tensor_4_2_3_3_torch.float32> : tensor<4x2x3x3xf32>
    %cst_10 = arith.constant dense_resource<torch_tensor_4_torch.float32> : tensor<4xf32>
    %padded = tensor.pad %arg0 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg1: index, %arg2: index, %arg3: index, %arg4: index):
      tensor.yield %cst : f32
    } : tensor<2x2x4x4xf32> to tensor<2x2x6x6xf32>
    %0 = tensor.empty() : tensor<2x4x4x4xf32>
    %broadcasted = linalg.broadcast ins(%cst_10 : tensor<4xf32>) outs(%0 : tensor<2x4x4x4xf32>) dimensions = [0, 2, 3] 
    %1 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%padded, %cst_9 : tensor<2x2x6x6xf32>, tensor<4x2x3x3xf32>) outs(%broadcasted : tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
    %2 = tensor.empty() : tensor<4xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%cst_7 : tensor<4xf32>) outs(%2 : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %31 = arith.truncf %cst_6 : f64 to f32
      %32 = arith.addf %in, %31 : f32
      linalg.yield %32 : f32
    } -> tensor<4xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%3 : tensor<4xf32>) outs(%2 : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %31 = math.sqrt %in : f32
      linalg.yield %31 : f32
    } -> tensor<4xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%4 : tensor<4xf32>) outs(%2 : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %31 = arith.cmpf one, %in, %cst : f32
      cf.assert %31, "unimplemented: tensor with zero element"
      %32 = arith.divf %cst_0, %in : f32
      linalg.yield %32 : f32
    } -> tensor<4xf32>
    %expanded = tensor.expand_shape %cst_8 [[0, 1, 2]] output_shape [4, 1, 1] : tensor<4xf32> into tensor<4x1x1xf32>
    %expanded_11 = tensor.expand_shape %5 [[0, 1, 2]] output_shape [4, 1, 1] : tensor<4xf32> into tensor<4x1x1xf32>
    %6 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%1, %expanded : tensor<2x4x4x4xf32>, tensor<4x1x1xf32>) outs(%0 : tensor<2x4x4x4xf32>) {
    ^bb0(%in: f32, %in_15: f32, %out: f32):
      %31 = arith.subf %in, %in_15 : f32
      linalg.yield %31 : f32
    } -> tensor<2x4x4x4xf32>
    %7 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%6, %expanded_11 : tensor<2x4x4x4xf32>, tensor<4x1x1xf32>) outs(%0 : tensor<2x4x4x4xf32>) {
    ^bb0(%in: f32, %in_15: f32, %out: f32):
      %31 = arith.mulf %in, %in_15 : f32
      linalg.yield %31 : f32
    } -> tensor<2x4x4x4xf32>
    %expanded_12 = tensor.expand_shape %cst_5 [[0, 1, 2]] output_shape [4, 1, 1] : tensor<4xf32> into tensor<4x1x1xf32>
    %8 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7, %expanded_12 : tensor<2x4x4x4xf32>, tensor<4x1x1xf32>) outs(%0 : tensor<2x4x4x4xf32>) {
    ^bb0(%in: f32, %in_15: f32, %out: f32):
      %31 = arith.mulf %in, %in_15 : f32
      linalg.yield %31 : f32
    } -> tensor<2x4x4x4xf32>
    %expanded_13 = tensor.expand_shape %cst_4 [[0, 1, 2]] output_shape [4, 1, 1] : tensor<4xf32> into tensor<4x1x1xf32>
    %9 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%8, %expanded_13 : tensor<2x4x4x4xf32>, tensor<4x1x1xf32>) outs(%0 : tensor<2x4x4x4xf32>) {
    ^bb0(%in: f32, %in_15: f32, %out: f32):
      %31 = arith.addf %in, %in_15 : f32
      linalg.yield %31 : f32
    } -> tensor<2x4x4x4xf32>
    %10 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%9 : tensor<2x4x4x4xf32>) outs(%0 : tensor<2x4x4x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %31 = arith.cmpf ugt, %in, %cst : f32
      %32 = arith.select %31, %in, %cst : f32
      linalg.yield %32 : f32
    } -> tensor<2x4x4x4xf32>
    %11 = tensor.empty() : tensor<2x4x2x2xf32>
    %12 = linalg.fill ins(%cst_1 : f32) outs(%11 : tensor<2x4x2x2xf32>) -> tensor<2x4x2x2xf32>
    %13 = tensor.empty() : tensor<2x2xf32>
    %14 = linalg.pooling_nchw_max {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%10, %13 : tensor<2x4x4x4xf32>, tensor<2x2xf32>) outs(%12 : tensor<2x4x2x2xf32>) -> tensor<2x4x2x2xf32>
    %collapsed = tensor.collapse_shape %14 [[0], [1, 2, 3]] : tensor<2x4x2x2xf32> into tensor<2x16xf32>
    %15 = tensor.empty() : tensor<16x5xf32>
    %transposed = linalg.transpose ins(%cst_3 : tensor<5x16xf32>) outs(%15 : tensor<16x5xf32>) permutation = [1, 0] 
    %16 = tensor.empty() : tensor<2x5xf32>
    %17 = linalg.fill ins(%cst : f32) outs(%16 : tensor<2x5xf32>) -> tensor<2x5xf32>
    %18 = linalg.matmul ins(%collapsed, %transposed : tensor<2x16xf32>, tensor<16x5xf32>) outs(%17 : tensor<2x5xf32>) -> tensor<2x5xf32>
    %19 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel"]} ins(%18, %cst_2 : tensor<2x5xf32>, tensor<5xf32>) outs(%16 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_15: f32, %out: f32):
      %31 = arith.addf %in, %in_15 : f32
      linalg.yield %31 : f32
    } -> tensor<2x5xf32>
    %20 = tensor.empty() : tensor<2xi64>
    %21 = linalg.fill ins(%c0_i64 : i64) outs(%20 : tensor<2xi64>) -> tensor<2xi64>
    %22 = tensor.empty() : tensor<2xf32>
    %23 = linalg.fill ins(%cst_1 : f32) outs(%22 : tensor<2xf32>) -> tensor<2xf32>
    %24:2 = linalg.generic {indexing_maps = [#map3, #map5, #map5], iterator_types = ["parallel", "reduction"]} ins(%19 : tensor<2x5xf32>) outs(%23, %21 : tensor<2xf32>, tensor<2xi64>) {
    ^bb0(%in: f32, %out: f32, %out_15: i64):
      %31 = linalg.index 1 : index
      %32 = arith.index_cast %31 : index to i64
      %33 = arith.maximumf %in, %out : f32
      %34 = arith.cmpf ogt, %in, %out : f32
      %35 = arith.select %34, %32, %out_15 : i64
      linalg.yield %33, %35 : f32, i64
    } -> (tensor<2xf32>, tensor<2xi64>)
    %expanded_14 = tensor.expand_shape %24#0 [[0, 1]] output_shape [2, 1] : tensor<2xf32> into tensor<2x1xf32>
    %25 = linalg.generic {indexing_maps = [#map3, #map6, #map3], iterator_types = ["parallel", "parallel"]} ins(%19, %expanded_14 : tensor<2x5xf32>, tensor<2x1xf32>) outs(%16 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_15: f32, %out: f32):
      %31 = arith.subf %in, %in_15 : f32
      linalg.yield %31 : f32
    } -> tensor<2x5xf32>
    %26 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%25 : tensor<2x5xf32>) outs(%16 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %31 = math.exp %in : f32
      linalg.yield %31 : f32
    } -> tensor<2x5xf32>
    %27 = tensor.empty() : tensor<2x1xf32>
    %28 = linalg.fill ins(%cst : f32) outs(%27 : tensor<2x1xf32>) -> tensor<2x1xf32>
    %29 = linalg.generic {indexing_maps = [#map3, #map6], iterator_types = ["parallel", "reduction"]} ins(%26 : tensor<2x5xf32>) outs(%28 : tensor<2x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %31 = arith.addf %in, %out : f32
      linalg.yield %31 : f32
    } -> tensor<2x1xf32>
    %30 = linalg.generic {indexing_maps = [#map3, #map6, #map3], iterator_types = ["parallel", "parallel"]} ins(%26, %29 : tensor<2x5xf32>, tensor<2x1xf32>) outs(%16 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_15: f32, %out: f32):
      %31 = arith.divf %in, %in_15 : f32
      linalg.yield %31 : f32
    } -> tensor<2x5xf32>
    return %30 : tensor<2x5xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_5_torch.float32: "0x0400000040FDA8BBC04C66BD58CE1DBE1409313E94923EBE",
      torch_tensor_5_16_torch.float32: "0x0400000030D369BD003EE6BAC0A7023D983E48BE7A2D06BED8B74E3E86C14FBE200F93BCC03E7D3E10F4B83DC0F0E73B26DA5DBE2CA2FD3D085836BEA85691BDCCC8ABBD38A417BD8036333B9626533E80ABFF3C204C653E30991C3EC6D821BE54A2E53D24F734BE9CFFD8BD4097963DF00EA93DF20E403E28D2A4BD00D4D1397ACB033E5A9377BE4215393E30B153BE00D0613BE0182EBD0AD406BED857073DF2B0533EE8AA95BD56FC17BE845BBDBDE6BB7DBE1C1DE73D20E5F5BDD0D62ABE627B13BE5230133E2492073E507C443ED8B6B93DC4FCAABDD4138FBD9842973DDE70523E74358B3D1C40F2BDFCADF0BD420A72BEB03B5D3DA8A90FBE503E64BEFA7A603ED03F26BED0FBE8BC48AF923DE07D023CFA412CBE2CEE4EBE980D4C3E30BF263D4662543EA8A4ABBDF8CF963D182A6ABD602736BC52EA1BBEAC28AD3D80E0A13D",
      torch_tensor_4_torch.float32_4: "0x0400000000000000000000000000000000000000",
      torch_tensor_4_torch.float32_3: "0x040000000000803F0000803F0000803F0000803F",
      torch_tensor_4_torch.float32_2: "0x040000000000803F0000803F0000803F0000803F",
      torch_tensor_4_torch.float32_1: "0x0400000000000000000000000000000000000000",
      torch_tensor_4_2_3_3_torch.float32: "0x040000000493A6BCE862433D3577193E63A0643ECB46193E4D26653ED8A48BBC6ED158BE81D8E4BDBA57243E0345C8BAEFEEEFBDD2F438BE5DE061BE86B54BBE74D343BDE05C043E187D023E41C668BE348E163EA4DD3CBE6B1A4CBDA2BAC3BD33F539BD718E3DBD669558BE0B6650BE2D1217BD60C3473B6A49DBBDEED6B53DBF3C59BE2D4F82BC8341543E9BE5C4BDB2F2593E77D1AE3D32D159BE10B5183EE3CFDEBC1D7DD7BDED00413E890A43BE3331CF3CD7214ABD8B5B2C3E87BF863DDDF2E73DEC79AA3DBD2968BD5B094BBD4AE646BE6EC7023E44A23F3ED724253EDE3F2ABEC33B2C3C6C242ABE48DD04BE2BA40CBE70F7A43D3ED40FBE4981A8BBD774223CED951B3EBD7236BE2CB225BEE0250CBE70EF283E3385ADBD6C954B3EF78DAE3D",
      torch_tensor_4_torch.float32: "0x04000000AE7FF43CB6F9E5BA56D93EBD7342F23C"
    }
  }
#-}
