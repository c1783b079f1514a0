import { runCommand } from './run-command.ts'

export const RESTIC = 'restic'

/** Whether there is a restic on the PATH. */
export async function hasRestic (): Promise<boolean> {
  return runCommand('restic version', process.env).then(() => true, () => false)
}

/** Variables to run it on a repository, which it encrypts: that cannot be turned off. */
export function resticVariables (repository: string): Record<string, string> {
  return { RESTIC_PASSWORD: 'bench', RESTIC_REPOSITORY: repository }
}

/** Make an empty repository, and return the environment to use it. */
export async function createRepository (repository: string): Promise<NodeJS.ProcessEnv> {
  const env = { ...process.env, ...resticVariables(repository) }
  await runCommand('restic init -q', env)

  return env
}
