"""x"""
from mbc.runtime.cuda.emulation import EmulatedCudaRunner as CudaRunner
