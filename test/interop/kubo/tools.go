//go:build tools

// Package kubo pins the Kubo that the interop tests run against: `npm run kubo` builds it.
package kubo

import _ "github.com/ipfs/kubo/cmd/ipfs"
