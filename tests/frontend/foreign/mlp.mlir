#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @main(%arg0: tensor<3x6xf32>) -> tensor<3x3xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 1.000000e+00 : f32
    %cst_1 = arith.constant 5.000000e-01 : f32
    %cst_2 = arith.constant dense_resource<torch_tensor_3_torch.float32> : tensor<3xf32>
    %cst_3 = arith.constant dense_resource<torch_tensor_3_10_torch.float32> : tensor<3x10xf32>
    %cst_4 = arith.constant dense_resource<torch_tensor_10_torch.float32> : tensor<10xf32>
    %cst_5 = arith.constant dense_resource<torch_tensor_10_6_torch.float32> : tensor<10x6xf32>
    %cst_6 = arith.constant 1.41421354 : f32
    %0 = tensor.empty() : tensor<6x10xf32>
    %transposed = linalg.transpose ins(%cst_5 : tensor<10x6xf32>) outs(%0 : tensor<6x10xf32>) permutation = [1, 0] 
    %1 = tensor.empty() : tensor<3x10xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<3x10xf32>) -> tensor<3x10xf32>
    %3 = linalg.matmul ins(%arg0, %transposed : tensor<3x6xf32>, tensor<6x10xf32>) outs(%2 : tensor<3x10xf32>) -> tensor<3x10xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%3, %cst_4 : tensor<3x10xf32>, tensor<10xf32>) outs(%1 : tensor<3x10xf32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %11 = arith.addf %in, %in_8 : f32
      linalg.yield %11 : f32
    } -> tensor<3x10xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<3x10xf32>) outs(%1 : tensor<3x10xf32>) {
    ^bb0(%in: f32, %out: f32):
      %11 = arith.divf %in, %cst_6 : f32
      %12 = math.erf %11 : f32
      %13 = arith.addf %12, %cst_0 : f32
      %14 = arith.mulf %13, %cst_1 : f32
      %15 = arith.mulf %in, %14 : f32
      linalg.yield %15 : f32
    } -> tensor<3x10xf32>
    %6 = tensor.empty() : tensor<10x3xf32>
    %transposed_7 = linalg.transpose ins(%cst_3 : tensor<3x10xf32>) outs(%6 : tensor<10x3xf32>) permutation = [1, 0] 
    %7 = tensor.empty() : tensor<3x3xf32>
    %8 = linalg.fill ins(%cst : f32) outs(%7 : tensor<3x3xf32>) -> tensor<3x3xf32>
    %9 = linalg.matmul ins(%5, %transposed_7 : tensor<3x10xf32>, tensor<10x3xf32>) outs(%8 : tensor<3x3xf32>) -> tensor<3x3xf32>
    %10 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%9, %cst_2 : tensor<3x3xf32>, tensor<3xf32>) outs(%7 : tensor<3x3xf32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %11 = arith.addf %in, %in_8 : f32
      linalg.yield %11 : f32
    } -> tensor<3x3xf32>
    return %10 : tensor<3x3xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_3_torch.float32: "0x04000000BF50983E9F315A3E45310DBE",
      torch_tensor_3_10_torch.float32: "0x040000008B8A79BEA456EDBDD986FE3D3726863EE1E48C3E75DC8E3E80E3803DFDCA8CBE5F4FEE3CF0944ABE33E496BEC6DA8F3EB437763E2582A1BE2A70723D76335ABDA42655BDC53A14BE450DF93D4FCC3FBECC6AED3DCAC1233EC2CF673E6228F23D253FA0BE2A0F52BED3AF213EFF8C873DCA9A7CBED4753ABE",
      torch_tensor_10_torch.float32: "0x0400000098273D3E251F283E79A177BEE996FC3DE67E653E0D0F53BDED627F3C01BAC13D4DAC813EE9B3C83E",
      torch_tensor_10_6_torch.float32: "0x04000000414F48BB1C42603E1509ACBE0AD499BE290321BE5134E03D748604BC74BBA53E7F6514BD973DDD3D97ADFCBDCB58A4BDA0B0C7BEAA6E8ABE0D542CBE5BC6773CB644253E58D67A3E93B48DBE2A0B36BE70D7173EFF91AD3E6811ACBD1B6A9C3EA3C386BDD5F0303DF643BD3E92E7C1BE879683BE69ABD3BD54F422BE9D98B43E0B7C87BEC07040BE320892BE4EC3C3BED00774BE06ADB33E388A3A3E959D4A3EBAE2AF3C4F5356BE3D748D3DEE29C3BE770897BEF08357BE71E1833E021C753EC56639BE815871BCD8AE853EFCCBCF3E45EA253E77E6613DAC258C3E892576BE04CD9B3D8A0EA2BEFCDE90BEB1F457BE"
    }
  }
#-}
