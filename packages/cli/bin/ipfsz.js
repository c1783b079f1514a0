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
  cacheCompiledCode()
  import('../bundle/run-process.js').then(({ runProcess }) => runProcess(process.argv))
}

/**
 * Let Node keep the compiled code: a start then takes half of the time. Bun and Deno cannot. The user's own directory,
 * not Node's default in /tmp: there, others could prepare code for us to run.
 */
function cacheCompiledCode () {
  const { env, platform } = process
  const { enableCompileCache } = process.getBuiltinModule('node:module')
  const { isAbsolute, join } = process.getBuiltinModule('node:path')
  const { homedir } = process.getBuiltinModule('node:os')
  const given = platform === 'win32' ? env.LOCALAPPDATA : env.XDG_CACHE_HOME

  try {
    const caches = given != null && isAbsolute(given)
      ? given
      : join(homedir(), ...platform === 'darwin' ? ['Library', 'Caches'] : ['.cache'])

    enableCompileCache?.(join(caches, 'ipfsz'))
  } catch {
    // there is no home directory
  }
}
