import { resolve } from 'node:path'
import { openRepo } from '@ipfsz/node'
import { publishSite } from '@ipfsz/site'
import type { Plugin } from 'vite'

export interface IpfszSiteOptions {
  /** Files that also stay plain, as patterns of .gitignore. */
  keep?: readonly string[]
  /**
   * The directory of the repo.
   *
   * @default that of the command: $IPFSZ_PATH, or ~/.ipfsz
   */
  repo?: string
}

/** Publish what `vite build` writes, compressed, into a repo. Prints its CID. */
export function ipfszSite ({ keep = [], repo: path }: IpfszSiteOptions = {}): Plugin {
  let directory = ''
  let isWritten = false

  return {
    name: 'ipfsz-site',
    apply: 'build',
    applyToEnvironment: ({ name }) => name === 'client',

    configResolved ({ base, root, build: { outDir } }) {
      if (!['/', './', ''].includes(base)) {
        throw new Error(`ipfsz-site: the base ${base} must be / or ./ because the site has its own address`)
      }

      directory = resolve(root, outDir)
    },

    writeBundle () { isWritten = true },

    // last, because other plugins write there until the end; a build that failed has written nothing
    closeBundle: {
      order: 'post',
      sequential: true,
      async handler () {
        if (isWritten) {
          isWritten = false
          const repo = await openRepo(path)

          try {
            const { cid, size, storedSize, missing } = await publishSite(repo, directory, { keep })
            this.info(`${cid}\n${size} bytes, stored in ${storedSize}`)

            if (missing != null) {
              this.warn(`${missing.page} is kept plain, but needs files that are not: ${missing.patterns.join(' ')}`)
            }
          } finally {
            await repo.close()
          }
        }
      }
    }
  }
}
