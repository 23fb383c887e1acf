import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TokenFile, tokenFile } from '../../transports/http/index.ts'
import { Child, projectDir } from '../child.ts'

/** A server of the real command with its page, and a configuration of its own. */
export class ServedPage {
  readonly file: string
  readonly tokens: TokenFile
  readonly #folder = mkdtempSync(join(tmpdir(), 'ferrule-page-'))
  readonly #options: readonly string[]
  #child: Child | undefined
  readonly #env: Record<string, string>
  #port = 0

  /**
   * @param file what is served; the simulated greenhouse when left out
   * @param options further ones of `ferrule serve`
   */
  constructor(file = '@greenhouse', options: readonly string[] = [], env: Record<string, string> = {}) {
    this.#env = env
    this.file = file
    this.tokens = tokenFile(join(this.#folder, 'ferrule', 'tokens.json'))
    this.#options = options
  }

  /** Starts it, at the port of before where there was one. Resolves when it has told the link. */
  async start(): Promise<void> {
    const args = ['--import', 'tsx', join(projectDir, 'bin/ferrule.ts'), 'serve', this.file]
    const more = ['--http', `127.0.0.1:${this.#port}`, '--page', ...this.#options]
    this.#child = new Child(process.execPath, [...args, ...more], {
      env: { ...this.#env, XDG_CONFIG_HOME: this.#folder, APPDATA: this.#folder },
    })
    await this.#child.until(() => /#key=\S+\n/.test(this.stderr), 'the link to the page')
    this.#port = Number(new URL(this.link).port)
  }

  /** All that it has told its operator. */
  get stderr(): string {
    return this.#child?.stderr ?? ''
  }

  /** The link with the key of this run. */
  get link(): string {
    return /https?:\S+#key=\S+/.exec(this.stderr)![0]
  }

  /** The page without any key. */
  get address(): string {
    return this.link.replace(/#.*/, '')
  }

  /** The key of this run. */
  get key(): string {
    return this.link.replace(/.*#key=/, '')
  }

  /** Calls a tool as the person with the key of this run does, by a client of its own. */
  async call(name: string, args: object = {}): Promise<any> {
    const params = {
      name,
      arguments: args,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    }
    const response = await fetch(new URL('/mcp', this.address), {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json',
        'MCP-Protocol-Version': '2026-07-28',
        'Mcp-Method': 'tools/call',
        'Mcp-Name': name,
        Authorization: `Bearer ${this.key}`,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    })
    return ((await response.json()) as { result: unknown }).result
  }

  /** Kills it, as a power cut does. */
  async kill(): Promise<void> {
    await this.#child?.stop()
  }

  /** Ends it and forgets its configuration. */
  async close(): Promise<void> {
    await this.kill()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
