import { packageVersion } from '@ipfsz/node/environment'
import type { Context } from '../context.ts'

export function version ({ output }: Context): void {
  const version = packageVersion()

  output.result(
    { version, node: process.versions.node, platform: process.platform, arch: process.arch },
    `ipfsz ${version}`
  )
}
