import { spawnSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** An empty directory outside of the repository, with packages installed as their users install them. */
export interface Project {
  directory: string
  /** Run a command there to its end. Returns what it prints. Throws if it fails. */
  run: (command: string, ...args: string[]) => string
}

/**
 * Pack packages as for publishing, install the packs into an empty project, use it, and remove it.
 *
 * @param packages - their directories; they are built
 * @param others - packages to install with them, as npm takes them
 */
export async function inEmptyProject (
  packages: readonly string[],
  others: readonly string[],
  use: (project: Project) => void | Promise<void>
): Promise<void> {
  const temporary = mkdtempSync(join(tmpdir(), 'ipfsz-packages-'))
  const directory = join(temporary, 'project')

  try {
    mkdirSync(directory)
    writeFileSync(join(directory, 'package.json'), '{ "private": true, "type": "module" }\n')

    const packs = packages.map(directory => packOf(directory, temporary))

    run('npm', ['install', '--silent', '--no-audit', '--no-fund', '--prefer-offline', ...packs, ...others], directory)
    await use({ directory, run: (command, ...args) => run(command, args, directory) })
  } finally {
    rmSync(temporary, { recursive: true })
  }
}

/** The pack of a package: that in `$IPFSZ_PACKS`, which is to be published, or a new one. */
function packOf (directory: string, temporary: string): string {
  const { IPFSZ_PACKS: packs } = process.env

  if (packs == null) {
    return join(temporary, run('npm', ['pack', '--silent', '--pack-destination', temporary], directory))
  }

  const { name, version } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as Record<string, string>

  return join(packs, packName(name, version))
}

/** The name that npm gives to the pack of a package. */
export function packName (name: string, version: string): string {
  return `${name.replace('@', '').replace('/', '-')}-${version}.tgz`
}

/** The most that an install may bring. */
export interface InstallLimits {
  packages: number
  bytes: number
}

/**
 * Count what the install brought, as text.
 *
 * @throws {Error} it is more than the limits
 */
export function measureInstall ({ directory }: Project, limits: InstallLimits): string {
  const packages = Object.keys(
    (JSON.parse(readFileSync(join(directory, 'package-lock.json'), 'utf8')) as { packages: object }).packages
  ).filter(path => path !== '' && statSync(join(directory, path), { throwIfNoEntry: false }) != null)
  const bytes = globSync('node_modules/**', { cwd: directory, withFileTypes: true })
    .filter(file => file.isFile())
    .reduce((sum, file) => sum + statSync(join(file.parentPath, file.name)).size, 0)
  const found = `${packages.length} packages, ${(bytes / 1e6).toFixed(1)} MB`

  if (packages.length > limits.packages || bytes > limits.bytes) {
    throw new Error(
      `It installs ${found}. The limits are ${limits.packages} packages and ${limits.bytes / 1e6} MB:\n` +
      packages.join('\n')
    )
  }

  return found
}

function run (command: string, args: string[], cwd: string): string {
  // as from a terminal, also if npx runs this script: the command suggests what was typed
  const env = { ...process.env, npm_command: undefined }
  // on Windows, npm is a script of its shell
  const shell = process.platform === 'win32' && command === 'npm'
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, env, shell, encoding: 'utf8' })

  if (status !== 0) {
    throw new Error(`${command} ${args.join(' ')} ended with ${status}\n${stdout}${stderr}`, { cause: error })
  }

  return stdout.trim()
}
