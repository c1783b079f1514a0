import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import type { Plugin } from 'vite'

export interface IpfszSiteOptions {
  /** Files that also stay plain, as patterns of .gitignore. See `ipfsz site add --keep`. */
  keep?: readonly string[]
}

/** Publish what `vite build` writes, compressed, with `ipfsz site add`. Prints its CID. */
export function ipfszSite ({ keep = [] }: IpfszSiteOptions = {}): Plugin {
  let root = ''
  let directory = ''
  let isWritten = false

  return {
    name: 'ipfsz-site',
    apply: 'build',
    applyToEnvironment: ({ name }) => name === 'client',

    configResolved ({ base, root: from, build: { outDir } }) {
      if (!['/', './', ''].includes(base)) {
        throw new Error(`ipfsz-site: the base ${base} must be / or ./ because the site has its own address`)
      }

      root = from
      directory = resolve(from, outDir)
    },

    writeBundle () { isWritten = true },

    // last, because other plugins write there until the end; a build that failed has written nothing
    closeBundle: {
      order: 'post',
      sequential: true,
      async handler () {
        if (isWritten) {
          isWritten = false
          const kept = keep.flatMap(pattern => ['--keep', pattern])
          this.info(await ipfsz(root, ['site', 'add', directory, ...kept]))
        }
      }
    }
  }
}

/** Run the command that the app at a path has installed. Returns what it prints. */
async function ipfsz (root: string, args: readonly string[]): Promise<string> {
  const manifest = createRequire(join(root, 'package.json')).resolve('ipfsz/package.json')
  const { stdout } = await promisify(execFile)(process.execPath, [join(dirname(manifest), 'bin/ipfsz.js'), ...args])

  return stdout
}
