module ipfsz-interop/kubo

go 1.26.5

require github.com/ipfs/kubo v0.43.1

// Kubo 0.43.1 replaces go-libp2p with a fork for the newer of these two. The release of go-libp2p that it names builds with these.
replace (
	github.com/quic-go/quic-go => github.com/quic-go/quic-go v0.60.0
	github.com/quic-go/webtransport-go => github.com/quic-go/webtransport-go v0.11.1
)
