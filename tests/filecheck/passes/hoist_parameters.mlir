// RUN: mbc-opt %s -p 'form-kernels,hoist-parameters' | filecheck %s
// RUN: mbc-opt %s -p 'form-kernels,hoist-parameters,hoist-parameters' | filecheck %s

// CHECK:       func.func @prepare(%{{.*}}: tensor<4xf32> {mbc.parameter = "w"}) -> tensor<4xf32> {
// CHECK-NEXT:    %[[k0:.*]] = mbc.kernel "k0"
// CHECK:         func.return %[[k0]]
// CHECK:       func.func @forward(%x: tensor<4xf32>, %cache: tensor<4xf32> {mbc.parameter = "cache", mbc.donated}, %[[p:.*]]: tensor<4xf32> {mbc.prepared = 0 : i64})
// A donated parameter changes from call to call: work on it stays.
// CHECK-NEXT:    mbc.kernel "k1"(%cache) {
// CHECK:         mbc.kernel "k2"(%x, %[[p]]) {
func.func @forward(%x: tensor<4xf32>, %w: tensor<4xf32> {mbc.parameter = "w"}, %cache: tensor<4xf32> {mbc.parameter = "cache", mbc.donated}) -> (tensor<8xf32>, tensor<4xf32>) {
  %0 = mbc.softmax %w {axis = 0 : i64, log = false} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = mbc.softmax %cache {axis = 0 : i64, log = false} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = mbc.concat %x, %0 {axis = 0 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  return %2, %1 : tensor<8xf32>, tensor<4xf32>
}
