/**
 * Loaded before a program (`--import`): lets it run with a package that has the patch in `$PATCH`. Of each file that
 * the patch changes, the built one is replaced by the patched source, without its types.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { registerHooks, stripTypeScriptTypes } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { env } from 'node:process'

const { PATCH: patch = '', PACKAGE: directory = '' } = env
const patched = mkdtempSync(join(tmpdir(), 'ipfsz-patch-'))
const sources = new Map<string, string>()

try {
  cpSync(join(directory, 'src'), join(patched, 'src'), { recursive: true })
  execFileSync('git', ['apply', '--directory', '', patch], { cwd: patched, env: { ...env, GIT_DIR: '/nowhere' } })

  for (const [, file] of readFileSync(patch, 'utf8').matchAll(/^\+\+\+ b\/(\S+)$/gm)) {
    const code = stripTypeScriptTypes(readFileSync(join(patched, file), 'utf8'), { mode: 'transform' })
    const built = file.replace(/^src\/(.*)\.ts$/, 'dist/src/$1.js')
    sources.set(built, code.replaceAll(/(from '\.[^']*)\.ts'/g, "$1.js'"))
  }
} finally {
  rmSync(patched, { recursive: true })
}

/** The file of the package that a URL names, if the patch changes or adds it. */
function patchedFile (url: string): string | undefined {
  const path = directory.slice(directory.lastIndexOf('/node_modules/'))

  return [...sources.keys()].find(file => url.endsWith(`${path}/${file}`))
}

registerHooks({
  resolve (specifier, context, next) {
    const url = URL.parse(specifier, context.parentURL)?.href

    // one that it adds does not exist
    return url != null && patchedFile(url) != null ? { url, shortCircuit: true } : next(specifier, context)
  },
  load (url, context, next) {
    const built = patchedFile(url)

    return built == null
      ? next(url, context)
      : { format: 'module', source: sources.get(built) ?? '', shortCircuit: true }
  }
})
