module ipfsz-interop/kubo

go 1.26.4

require github.com/ipfs/kubo v0.42.0
