#!/usr/bin/env node
// Plain JavaScript that any version of Node can read, so that an old one can say so.

const [major, minor] = process.versions.node.split('.').map(Number)

if (major < 22 || (major === 22 && minor < 15)) {
  process.stderr.write(
    `ipfsz: Node 22.15 or newer is needed, this is ${process.versions.node}. ` +
    'Install a current one, or run: npx --package node@24 --package ipfsz ipfsz\n'
  )
  process.exitCode = 1
} else {
  import('../dist/run-process.js').then(({ runProcess }) => runProcess(process.argv))
}
