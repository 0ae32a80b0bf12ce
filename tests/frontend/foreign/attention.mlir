#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map2 = affine_map<(d0, d1, d2) -> (d2)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1) -> (d1)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map6 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map7 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
module {
  func.func @main(%arg0: tensor<2x3x8xf32>) -> tensor<2x3x8xf32> {
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f64
    %cst_0 = arith.constant 0.000000e+00 : f32
    %cst_1 = arith.constant 0xFF800000 : f32
    %cst_2 = arith.constant dense_resource<torch_tensor_8_torch.float32_2> : tensor<8xf32>
    %cst_3 = arith.constant dense_resource<torch_tensor_8_8_torch.float32> : tensor<8x8xf32>
    %cst_4 = arith.constant dense_resource<torch_tensor_24_torch.float32> : tensor<24xf32>
    %cst_5 = arith.constant dense_resource<torch_tensor_24_8_torch.float32> : tensor<24x8xf32>
    %cst_6 = arith.constant dense_resource<torch_tensor_8_torch.float32_1> : tensor<8xf32>
    %cst_7 = arith.constant dense_resource<torch_tensor_8_torch.float32> : tensor<8xf32>
    %cst_8 = arith.constant 1.000000e-05 : f64
    %cst_9 = arith.constant 8.000000e+00 : f64
    %cst_10 = arith.constant 8.000000e+00 : f32
    %cst_11 = arith.constant 2.000000e+00 : f32
    %0 = tensor.empty() : tensor<2x3x8xf64>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x3x8xf32>) outs(%0 : tensor<2x3x8xf64>) {
    ^bb0(%in: f32, %out: f64):
      %55 = arith.extf %in : f32 to f64
      linalg.yield %55 : f64
    } -> tensor<2x3x8xf64>
    %2 = tensor.empty() : tensor<2x3x1xf64>
    %3 = linalg.fill ins(%cst : f64) outs(%2 : tensor<2x3x1xf64>) -> tensor<2x3x1xf64>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%1 : tensor<2x3x8xf64>) outs(%3 : tensor<2x3x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %55 = arith.addf %in, %out : f64
      linalg.yield %55 : f64
    } -> tensor<2x3x1xf64>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%4 : tensor<2x3x1xf64>) outs(%2 : tensor<2x3x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %55 = arith.divf %in, %cst_9 : f64
      linalg.yield %55 : f64
    } -> tensor<2x3x1xf64>
    %6 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1, %5 : tensor<2x3x8xf64>, tensor<2x3x1xf64>) outs(%0 : tensor<2x3x8xf64>) {
    ^bb0(%in: f64, %in_28: f64, %out: f64):
      %55 = arith.subf %in, %in_28 : f64
      linalg.yield %55 : f64
    } -> tensor<2x3x8xf64>
    %7 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6, %6 : tensor<2x3x8xf64>, tensor<2x3x8xf64>) outs(%0 : tensor<2x3x8xf64>) {
    ^bb0(%in: f64, %in_28: f64, %out: f64):
      %55 = arith.mulf %in, %in_28 : f64
      linalg.yield %55 : f64
    } -> tensor<2x3x8xf64>
    %8 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%7 : tensor<2x3x8xf64>) outs(%3 : tensor<2x3x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %55 = arith.addf %in, %out : f64
      linalg.yield %55 : f64
    } -> tensor<2x3x1xf64>
    %9 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%8 : tensor<2x3x1xf64>) outs(%2 : tensor<2x3x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %55 = arith.divf %in, %cst_9 : f64
      linalg.yield %55 : f64
    } -> tensor<2x3x1xf64>
    %10 = tensor.empty() : tensor<2x3x1xf32>
    %11 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9 : tensor<2x3x1xf64>) outs(%10 : tensor<2x3x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %55 = arith.truncf %in : f64 to f32
      linalg.yield %55 : f32
    } -> tensor<2x3x1xf32>
    %12 = linalg.fill ins(%cst_0 : f32) outs(%10 : tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
    %13 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0 : tensor<2x3x8xf32>) outs(%12 : tensor<2x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %55 = arith.addf %in, %out : f32
      linalg.yield %55 : f32
    } -> tensor<2x3x1xf32>
    %14 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13 : tensor<2x3x1xf32>) outs(%10 : tensor<2x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %55 = arith.divf %in, %cst_10 : f32
      linalg.yield %55 : f32
    } -> tensor<2x3x1xf32>
    %15 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%11 : tensor<2x3x1xf32>) outs(%10 : tensor<2x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %55 = arith.truncf %cst_8 : f64 to f32
      %56 = arith.addf %in, %55 : f32
      linalg.yield %56 : f32
    } -> tensor<2x3x1xf32>
    %16 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%15 : tensor<2x3x1xf32>) outs(%10 : tensor<2x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %55 = math.rsqrt %in : f32
      linalg.yield %55 : f32
    } -> tensor<2x3x1xf32>
    %17 = tensor.empty() : tensor<2x3x8xf32>
    %18 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %14 : tensor<2x3x8xf32>, tensor<2x3x1xf32>) outs(%17 : tensor<2x3x8xf32>) {
    ^bb0(%in: f32, %in_28: f32, %out: f32):
      %55 = arith.subf %in, %in_28 : f32
      linalg.yield %55 : f32
    } -> tensor<2x3x8xf32>
    %19 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%18, %16 : tensor<2x3x8xf32>, tensor<2x3x1xf32>) outs(%17 : tensor<2x3x8xf32>) {
    ^bb0(%in: f32, %in_28: f32, %out: f32):
      %55 = arith.mulf %in, %in_28 : f32
      linalg.yield %55 : f32
    } -> tensor<2x3x8xf32>
    %20 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%19, %cst_7 : tensor<2x3x8xf32>, tensor<8xf32>) outs(%17 : tensor<2x3x8xf32>) {
    ^bb0(%in: f32, %in_28: f32, %out: f32):
      %55 = arith.mulf %in, %in_28 : f32
      linalg.yield %55 : f32
    } -> tensor<2x3x8xf32>
    %21 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%20, %cst_6 : tensor<2x3x8xf32>, tensor<8xf32>) outs(%17 : tensor<2x3x8xf32>) {
    ^bb0(%in: f32, %in_28: f32, %out: f32):
      %55 = arith.addf %in, %in_28 : f32
      linalg.yield %55 : f32
    } -> tensor<2x3x8xf32>
    %collapsed = tensor.collapse_shape %21 [[0, 1], [2]] : tensor<2x3x8xf32> into tensor<6x8xf32>
    %22 = tensor.empty() : tensor<8x24xf32>
    %transposed = linalg.transpose ins(%cst_5 : tensor<24x8xf32>) outs(%22 : tensor<8x24xf32>) permutation = [1, 0] 
    %23 = tensor.empty() : tensor<6x24xf32>
    %24 = linalg.fill ins(%cst_0 : f32) outs(%23 : tensor<6x24xf32>) -> tensor<6x24xf32>
    %25 = linalg.matmul ins(%collapsed, %transposed : tensor<6x8xf32>, tensor<8x24xf32>) outs(%24 : tensor<6x24xf32>) -> tensor<6x24xf32>
    %26 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel"]} ins(%25, %cst_4 : tensor<6x24xf32>, tensor<24xf32>) outs(%23 : tensor<6x24xf32>) {
    ^bb0(%in: f32, %in_28: f32, %out: f32):
      %55 = arith.addf %in, %in_28 : f32
      linalg.yield %55 : f32
    } -> tensor<6x24xf32>
    %expanded = tensor.expand_shape %26 [[0, 1], [2, 3, 4]] output_shape [2, 3, 3, 2, 4] : tensor<6x24xf32> into tensor<2x3x3x2x4xf32>
    %27 = tensor.empty() : tensor<3x2x2x3x4xf32>
    %transposed_12 = linalg.transpose ins(%expanded : tensor<2x3x3x2x4xf32>) outs(%27 : tensor<3x2x2x3x4xf32>) permutation = [2, 0, 3, 1, 4] 
    %extracted_slice = tensor.extract_slice %transposed_12[0, 0, 0, 0, 0] [1, 2, 2, 3, 4] [1, 1, 1, 1, 1] : tensor<3x2x2x3x4xf32> to tensor<1x2x2x3x4xf32>
    %extracted_slice_13 = tensor.extract_slice %transposed_12[1, 0, 0, 0, 0] [1, 2, 2, 3, 4] [1, 1, 1, 1, 1] : tensor<3x2x2x3x4xf32> to tensor<1x2x2x3x4xf32>
    %extracted_slice_14 = tensor.extract_slice %transposed_12[2, 0, 0, 0, 0] [1, 2, 2, 3, 4] [1, 1, 1, 1, 1] : tensor<3x2x2x3x4xf32> to tensor<1x2x2x3x4xf32>
    %collapsed_15 = tensor.collapse_shape %extracted_slice_13 [[0, 1], [2], [3], [4]] : tensor<1x2x2x3x4xf32> into tensor<2x2x3x4xf32>
    %28 = tensor.empty() : tensor<2x2x4x3xf32>
    %transposed_16 = linalg.transpose ins(%collapsed_15 : tensor<2x2x3x4xf32>) outs(%28 : tensor<2x2x4x3xf32>) permutation = [0, 1, 3, 2] 
    %collapsed_17 = tensor.collapse_shape %extracted_slice [[0, 1, 2], [3], [4]] : tensor<1x2x2x3x4xf32> into tensor<4x3x4xf32>
    %collapsed_18 = tensor.collapse_shape %transposed_16 [[0, 1], [2], [3]] : tensor<2x2x4x3xf32> into tensor<4x4x3xf32>
    %29 = tensor.empty() : tensor<4x3x3xf32>
    %30 = linalg.fill ins(%cst_0 : f32) outs(%29 : tensor<4x3x3xf32>) -> tensor<4x3x3xf32>
    %31 = linalg.batch_matmul ins(%collapsed_17, %collapsed_18 : tensor<4x3x4xf32>, tensor<4x4x3xf32>) outs(%30 : tensor<4x3x3xf32>) -> tensor<4x3x3xf32>
    %expanded_19 = tensor.expand_shape %31 [[0, 1], [2], [3]] output_shape [2, 2, 3, 3] : tensor<4x3x3xf32> into tensor<2x2x3x3xf32>
    %32 = tensor.empty() : tensor<2x2x3x3xf32>
    %33 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_19 : tensor<2x2x3x3xf32>) outs(%32 : tensor<2x2x3x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %55 = arith.divf %in, %cst_11 : f32
      linalg.yield %55 : f32
    } -> tensor<2x2x3x3xf32>
    %34 = tensor.empty() : tensor<2x2x3xi64>
    %35 = linalg.fill ins(%c0_i64 : i64) outs(%34 : tensor<2x2x3xi64>) -> tensor<2x2x3xi64>
    %36 = tensor.empty() : tensor<2x2x3xf32>
    %37 = linalg.fill ins(%cst_1 : f32) outs(%36 : tensor<2x2x3xf32>) -> tensor<2x2x3xf32>
    %38:2 = linalg.generic {indexing_maps = [#map5, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%33 : tensor<2x2x3x3xf32>) outs(%37, %35 : tensor<2x2x3xf32>, tensor<2x2x3xi64>) {
    ^bb0(%in: f32, %out: f32, %out_28: i64):
      %55 = linalg.index 3 : index
      %56 = arith.index_cast %55 : index to i64
      %57 = arith.maximumf %in, %out : f32
      %58 = arith.cmpf ogt, %in, %out : f32
      %59 = arith.select %58, %56, %out_28 : i64
      linalg.yield %57, %59 : f32, i64
    } -> (tensor<2x2x3xf32>, tensor<2x2x3xi64>)
    %expanded_20 = tensor.expand_shape %38#0 [[0], [1], [2, 3]] output_shape [2, 2, 3, 1] : tensor<2x2x3xf32> into tensor<2x2x3x1xf32>
    %39 = linalg.generic {indexing_maps = [#map5, #map7, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%33, %expanded_20 : tensor<2x2x3x3xf32>, tensor<2x2x3x1xf32>) outs(%32 : tensor<2x2x3x3xf32>) {
    ^bb0(%in: f32, %in_28: f32, %out: f32):
      %55 = arith.subf %in, %in_28 : f32
      linalg.yield %55 : f32
    } -> tensor<2x2x3x3xf32>
    %40 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%39 : tensor<2x2x3x3xf32>) outs(%32 : tensor<2x2x3x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %55 = math.exp %in : f32
      linalg.yield %55 : f32
    } -> tensor<2x2x3x3xf32>
    %41 = tensor.empty() : tensor<2x2x3x1xf32>
    %42 = linalg.fill ins(%cst_0 : f32) outs(%41 : tensor<2x2x3x1xf32>) -> tensor<2x2x3x1xf32>
    %43 = linalg.generic {indexing_maps = [#map5, #map7], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%40 : tensor<2x2x3x3xf32>) outs(%42 : tensor<2x2x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %55 = arith.addf %in, %out : f32
      linalg.yield %55 : f32
    } -> tensor<2x2x3x1xf32>
    %44 = linalg.generic {indexing_maps = [#map5, #map7, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%40, %43 : tensor<2x2x3x3xf32>, tensor<2x2x3x1xf32>) outs(%32 : tensor<2x2x3x3xf32>) {
    ^bb0(%in: f32, %in_28: f32, %out: f32):
      %55 = arith.divf %in, %in_28 : f32
      linalg.yield %55 : f32
    } -> tensor<2x2x3x3xf32>
    %collapsed_21 = tensor.collapse_shape %44 [[0, 1], [2], [3]] : tensor<2x2x3x3xf32> into tensor<4x3x3xf32>
    %collapsed_22 = tensor.collapse_shape %extracted_slice_14 [[0, 1, 2], [3], [4]] : tensor<1x2x2x3x4xf32> into tensor<4x3x4xf32>
    %45 = tensor.empty() : tensor<4x3x4xf32>
    %46 = linalg.fill ins(%cst_0 : f32) outs(%45 : tensor<4x3x4xf32>) -> tensor<4x3x4xf32>
    %47 = linalg.batch_matmul ins(%collapsed_21, %collapsed_22 : tensor<4x3x3xf32>, tensor<4x3x4xf32>) outs(%46 : tensor<4x3x4xf32>) -> tensor<4x3x4xf32>
    %expanded_23 = tensor.expand_shape %47 [[0, 1], [2], [3]] output_shape [2, 2, 3, 4] : tensor<4x3x4xf32> into tensor<2x2x3x4xf32>
    %48 = tensor.empty() : tensor<2x3x2x4xf32>
    %transposed_24 = linalg.transpose ins(%expanded_23 : tensor<2x2x3x4xf32>) outs(%48 : tensor<2x3x2x4xf32>) permutation = [0, 2, 1, 3] 
    %collapsed_25 = tensor.collapse_shape %transposed_24 [[0, 1], [2, 3]] : tensor<2x3x2x4xf32> into tensor<6x8xf32>
    %49 = tensor.empty() : tensor<8x8xf32>
    %transposed_26 = linalg.transpose ins(%cst_3 : tensor<8x8xf32>) outs(%49 : tensor<8x8xf32>) permutation = [1, 0] 
    %50 = tensor.empty() : tensor<6x8xf32>
    %51 = linalg.fill ins(%cst_0 : f32) outs(%50 : tensor<6x8xf32>) -> tensor<6x8xf32>
    %52 = linalg.matmul ins(%collapsed_25, %transposed_26 : tensor<6x8xf32>, tensor<8x8xf32>) outs(%51 : tensor<6x8xf32>) -> tensor<6x8xf32>
    %53 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel"]} ins(%52, %cst_2 : tensor<6x8xf32>, tensor<8xf32>) outs(%50 : tensor<6x8xf32>) {
    ^bb0(%in: f32, %in_28: f32, %out: f32):
      %55 = arith.addf %in, %in_28 : f32
      linalg.yield %55 : f32
    } -> tensor<6x8xf32>
    %expanded_27 = tensor.expand_shape %53 [[0, 1], [2]] output_shape [2, 3, 8] : tensor<6x8xf32> into tensor<2x3x8xf32>
    %54 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %expanded_27 : tensor<2x3x8xf32>, tensor<2x3x8xf32>) outs(%17 : tensor<2x3x8xf32>) {
    ^bb0(%in: f32, %in_28: f32, %out: f32):
      %55 = arith.addf %in, %in_28 : f32
      linalg.yield %55 : f32
    } -> tensor<2x3x8xf32>
    return %54 : tensor<2x3x8xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_8_torch.float32_2: "0x040000008A1EE73DE811CD3C49BA6ABE2A1DAD3E798652BE75E3943E9C0090BEFB2CAEBD",
      torch_tensor_8_8_torch.float32: "0x04000000F268143E9737B03EF721CEBD66E395BE0232A4BE0E74B53DC64EDBBC2DD336BEEE5B923DC57C093ED6F78F3E4A8A8C3EE2C358BDED9D9FBEC192A3BE1004A93E840A203EB9D01D3E2A9F9CBE73A0A73EC77CAB3E676FA33E88B498BE0C9B08BE41FF78BE496BAB3E8F8F1BBE574A25BE3EAD3D3EF07927BEE34F32BE3058FDBC29320BBD9A028DBEF9E8963EFFB31FBEA66B003E99729D3E0295363E90074D3D86059A3E84AB423DE57F27BE843EAB3EFF5FAB3DFA9DB0BE8323CEBDE59B76BE91B59E3E22286FBDEE00A5BE5B12B6BC6D5D633E981DBC3DDAF4E43DAA7E063D8CF9063E426CB0BDE10410BE4733A9BE595E88BE92E81C3E315E56BEFBC24F3D",
      torch_tensor_24_torch.float32: "0x0400000091D28A3D1AF8F9BC2E8898BD98B8A1BDD70D663E4F6F8A3C393EB0BEB3BB55BE93D6F6BD0D2F363E95496ABECAAFAA3EF445A1BD4A0482BDD2D68D3EA3F6353EB486993E526B513ED5A6DBBDE23370BE877ED7BC83D1953EC303F3BD34DFA7BE",
      torch_tensor_24_8_torch.float32: "0x040000005E5E91BECBE88E3E36E0433ECFD5A93EB804913E93A8A1BE031177BE20FF69BD9E1E6BBEFC657B3E1EDA88BEA2A330BE98E1AEBEBD8B4DBE63E2943E1E36943E9994813E1CC58B3EBFF5A03ECF68B9BD3A4C1F3E9046A13ED389EF3DF3F5B43EAAC63B3E8C0F613EE06BFDBD53B72D3E0767263D16ECACBDB3154CBE59254BBE794A8BBE2B0C733E3AB1803E81D124BDB88151BE2CE98B3E0C85673E594BD73C65EE2ABE8D5DA63E660D143E846B89BE2140AD3E1A76893EB5F503BE8D854B3ED6B44DBE53F262BD28B4993E92586F3C290580BEAF02F2BD1B8CC4BD03B28BBDDC960A3D7B69A73EC5119B3C83895FBEBF72943CC8972D3EF395333EC770A5BE739181BD068686BE077A1ABEAD70023E1C8C80BE5A94063E2FA5993ED3F6BD3C584B71BE88B601BECD1C9E3D8AFE89BE53DD333E8A57A4BE3F03AEBEADE3AFBE85E392BD5C72733EBC54ABBE0076963EE1D210BE1C12D43D8514843C853AA3BEE51F963EF6EF423EB4EEB33E06E8363E72F86EBE6713973E17A99B3C48AF2B3E862591BE8B43D0BD23BDB1BEE8020DBEBE349C3D24218EBE58CFE63D4658423ECCBD493DEA3B72BE0D598CBED063DFBD7AEB1E3E8C8EB23EC82E503E5D1323BD99DFFD3D6397B1BEDD9B9ABE1CEE283E6F104DBEDC2C2E3E22937FBE5B5233BE881A95BE30ED3C3E538F13BD0C508B3E3F0E603ED754483EA1443A3C68DEDFBDF56F9DBDEB75403D4D77333E00A47DBEEFEC973E3D751DBD32AF97BE44E243BE4B2BA03E0F8CA53EAEACA7BE63587F3E6370353E214C563EF83C993EF01E43BE64A5E43D8328143EC6F5D5BD9450F23DA653D0BDA2D55F3E0AE6C8BD6AF706BE2849B63DAE69003EBFE130BEB403003D79D0513E2E1610BD7E5CDC3D55A3AEBDF1C9FD3D1D2183BEA0E354BE74C437BED65BA63E73D6C2BD4B0E7DBAF7672FBEB6B5B43ED2CBB03EB98588BE36BF92BE1D3689BE6C7DDFBAF591B8BD89F86CBE6ADA01BEF1CC883D6F293DBE6171A03DDD0AA6BD406E2FBE97F4463D3AD8943E4FC474BE077D863C188205BEABA2B13E97BEABBE4589ADBEAC5FB23EE80E65BE",
      torch_tensor_8_torch.float32_1: "0x040000000000000000000000000000000000000000000000000000000000000000000000",
      torch_tensor_8_torch.float32: "0x040000000000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F"
    }
  }
#-}
