import { changeConfig, configIn, readConfig } from '@ipfsz/node/config'
import { hidePlaceSecrets } from '@ipfsz/utils/hide-secrets'
import { printable } from '../terminal/output.ts'
import { phraseCell } from '../terminal/row.ts'
import type { Context } from '../context.ts'
import type { ConfigValue } from '@ipfsz/node/config'

export async function setConfig (key: string, value: ConfigValue, context: Context): Promise<void> {
  await changeConfig(context.repo, config => ({ ...config, [key]: value }), context.signal)
  print(key, value, context)
}

/** Remove settings. Those that are not set stay so. */
export async function removeConfig (keys: readonly string[], { repo, output, signal }: Context): Promise<void> {
  let config = await readConfig(repo)

  if (keys.some(key => key in config)) {
    await changeConfig(repo, current => {
      config = current

      return Object.fromEntries(Object.entries(current).filter(([key]) => !keys.includes(key)))
    }, signal)
  }

  for (const key of keys) {
    output.row({ key, removed: key in config }, [
      printable(key),
      key in config ? 'removed' : phraseCell('was not set', ['unset'])
    ])
  }
}

export async function listConfig (context: Context): Promise<void> {
  const { repo, output } = context
  const settings = Object.entries(await readConfig(repo))

  for (const [key, value] of settings) {
    print(key, value, context)
  }

  if (settings.length === 0) {
    output.note(`nothing is set in ${configIn(repo)}`)
  }
}

/** URLs are shown without passwords. */
function print (key: string, value: ConfigValue, { output }: Context): void {
  const text = typeof value === 'string' ? hidePlaceSecrets(value) : value
  const shown = Array.isArray(text) ? text.map(hidePlaceSecrets) : text
  const values = [shown].flat().map(value => printable(String(value)))

  output.row({ key, value: shown }, [printable(key), phraseCell(values.join(' '), values)])
}
