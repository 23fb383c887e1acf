import { operatorOptions } from './operator-options.ts'
import { recordOptions } from './record/options.ts'

/** An option of a command: enough to parse it, to check it and to describe it. */
export interface Option {
  /** What stands for the value in the help; an option without it is a switch. */
  value?: string
  short?: string
  help: string
  /** The only values that it takes. */
  choices?: readonly string[]
  /** The value may be left out: the next word is one only when it looks like this. */
  optional?: RegExp
  /** The value is a whole number, 1 or more. */
  count?: boolean
  /** It may be given more than once. */
  many?: boolean
}

/** An argument that is told by its position. */
export interface Positional {
  name: string
  help: string
  required: boolean
  choices?: readonly string[]
}

/** A command, as data: the parser and the help are read off it. What else its help says is in command-help.ts. */
export interface Command {
  positionals: readonly Positional[]
  options: Readonly<Record<string, Option>>
  /** What stands behind `--` and is not read: a command with its own options. */
  rest?: { name: string; help: string }
}

/** What a command is run with. */
export interface Arguments {
  positionals: string[]
  /** The last value of each option that was given. */
  values: Record<string, string | true>
  /** All values of each option that may be given more than once, in order. */
  lists?: Record<string, string[]>
  /** The words behind `--`, for a command that takes them. */
  rest?: string[]
}

/** The name that stands for the simulated greenhouse wherever a server file is asked for. */
export const builtInDemo = '@greenhouse'

/** The name that stands for the board that this computer is: what a scan finds is served, without a file. */
export const scannedBoard = '@raspberry-pi'

/** Whether a name stands for a board that is not in a file. */
export function isBuiltIn(name: string): boolean {
  return name === builtInDemo || name === scannedBoard
}

/** Pins of the board that this computer is. A scan cannot find what is wired to them. */
export const pinOptions = {
  input: {
    value: 'PIN',
    many: true,
    help: `with ${scannedBoard}: a pin that is read, as GPIO23; may be given more than once`,
  },
  output: {
    value: 'PIN',
    many: true,
    help: `with ${scannedBoard}: a pin that is switched, as GPIO17, and is off when safe; may be given more than once`,
  },
} as const satisfies Record<string, Option>

const file: Positional = {
  name: 'file',
  required: true,
  help:
    `a board.json, or a .js, .mjs, .ts or .mts file that exports a board; ${scannedBoard} is what a scan of this ` +
    `computer finds, ${builtInDemo} the built-in demo`,
}

/** A file that is there tomorrow, too. */
const ownFile: Positional = { ...file, help: 'a board.json, or a .js, .mjs, .ts or .mts file that exports a board' }

/** How a running server is named. */
const server: Positional = {
  name: 'server',
  required: false,
  help: "a board's name, a port, a file, or the number of a process",
}

/** How a port is named, wherever one is asked for. */
const portForms =
  'a path (/dev/ttyACM0, COM3) or a glob of paths, a serial number, what the board calls itself, ' +
  'usb:VID:PID[:SERIAL] or tcp://HOST:PORT'

/** How a port is used. */
const lineOptions = {
  baud: { value: 'N', count: true, help: 'bits a second of the line (115200)' },
  pace: { value: 'BYTES/MS', help: 'send no more than so many bytes in so many ms, for boards that lose some: 32/10' },
  dtr: {
    value: 'HOW',
    choices: ['auto', 'on', 'off'],
    help: 'the lines DTR and RTS: on, off, or by what is known of the board (auto)',
  },
} as const satisfies Record<string, Option>

/** How a board is served over HTTP. */
const httpOptions = {
  http: {
    value: 'HOST:PORT',
    optional: /^(\[[\da-f:]+\]:|[\w.-]*:)?\d{1,5}$/i,
    help: 'serve over HTTP, at localhost:8970 when no place is named',
  },
  page: { help: 'a page at / for people: sensors, controls, a stop button. A link to it is printed' },
  'tls-key': { value: 'FILE', help: 'serve HTTPS: the private key, as PEM' },
  'tls-cert': { value: 'FILE', help: 'serve HTTPS: the certificate, as PEM' },
  'allowed-host': { value: 'NAME', many: true, help: 'a further name under which it may be reached, such as pi.local' },
  'allowed-origin': { value: 'URL', many: true, help: 'a web page of this origin may use it' },
  'legacy-sse': { help: 'serve clients of revision 2024-11-05 as well, at /sse' },
  'require-token': { help: 'ask for a token on this computer too; from others it is asked for anyway' },
  'token-file': { value: 'FILE', help: 'ask for a token of this file (the usual one: see ferrule help token)' },
  'oauth-issuer': { value: 'URL', help: 'let in who has an access token of this authorization server' },
  'oauth-audience': { value: 'URL', help: 'the address that clients use: access tokens must be meant for it' },
} as const satisfies Record<string, Option>

/** How a board of a file is served. */
const serveOptions = {
  'read-sensors': { help: 'add a tool read_sensors, for hosts that never show resources to the model' },
  'max-line-bytes': { value: 'N', count: true, help: 'the longest line that is read (4 MiB)' },
  'max-message-bytes': { value: 'N', count: true, help: 'the longest message that is written' },
  ...operatorOptions,
  simulate: { help: 'the same board without its hardware: nothing real is measured or moved' },
  ...recordOptions,
  serial: { value: 'PATH', help: 'serve whoever is at the other end of this cable, instead of stdin and stdout' },
  ...lineOptions,
  ...httpOptions,
} as const satisfies Record<string, Option>

/** The options that have to do with HTTP. */
export const httpOptionNames: readonly string[] = Object.keys(httpOptions)

/** Every command by its name. */
export const commands = {
  serve: {
    positionals: [file],
    options: { ...pinOptions, ...serveOptions },
  },
  bridge: {
    positionals: [],
    options: {
      port: {
        value: 'SPEC',
        many: true,
        help: `${portForms}; auto (which is taken when none is given) finds the one board that answers. PREFIX=SPEC names several`,
      },
      ...lineOptions,
      timeout: { value: 'MS', count: true, help: 'how long the board may take for one answer' },
      config: { value: 'FILE', help: 'a JSON file with these options' },
      'read-sensors': { help: 'add a tool read_sensors, for hosts that never show resources to the model' },
      name: { value: 'NAME', help: "the server's name (what the board calls itself)" },
      mirror: { value: 'PATH', help: 'a port at this path shows what the board prints, to read only' },
      'log-file': { value: 'FILE', help: 'what the board prints is added to this file, as it is shown on stderr' },
      'no-share': { help: 'do not share the port with other copies of the bridge' },
      ...operatorOptions,
      ...recordOptions,
      ...httpOptions,
    },
  },
  ports: {
    positionals: [],
    options: {
      'no-ask': { help: 'open none of them: opening a port resets some boards' },
      baud: lineOptions.baud,
      json: { help: 'print JSON' },
      udev: { help: 'print udev rules that let you use the boards that are plugged in (Linux); none is opened' },
    },
  },
  scan: {
    positionals: [],
    options: {
      write: { value: 'FILE', help: 'write what was found into a board file, to go on from: board.json' },
      force: { help: 'overwrite that file if it is there' },
      bus: {
        value: 'N',
        many: true,
        help: 'ask this I2C bus, whatever it is for, in the place of those that parts are wired to; may be given more than once',
      },
      json: { help: 'print JSON' },
    },
  },
  doctor: {
    positionals: [{ name: 'port', required: false, help: `${portForms}; the only one there is when left out` }],
    options: {
      'host-config': { value: 'FILE', help: 'check the entries of the configuration file of a host instead' },
      ...lineOptions,
      timeout: { value: 'MS', count: true, help: 'how long to wait for the board to say who it is (8000)' },
    },
  },
  trace: {
    positionals: [],
    options: {
      port: { value: 'SPEC', help: `listen at this port: ${portForms}` },
      record: { value: 'FILE', help: 'write the lines to this file too' },
      json: { help: 'one JSON object a line' },
      ...lineOptions,
    },
    rest: { name: 'command', help: 'a stdio MCP server and its arguments: it is started, and shown while it serves' },
  },
  log: {
    positionals: [
      { name: 'record', required: false, help: "a board's name, or a file; the only record there is when left out" },
    ],
    options: {
      tool: { value: 'NAME', many: true, help: 'only calls of this tool; may be given more than once' },
      client: { value: 'TEXT', help: 'only calls of clients with this in their name' },
      outcome: {
        value: 'HOW',
        many: true,
        choices: ['ran', 'refused', 'cancelled', 'failed', 'unknown', 'dry-run', 'started'],
        help: 'only what ended so; started is what has not ended, or never did. May be given more than once',
      },
      since: { value: 'TIME', help: 'from then on: 30m, 2h, 3d (so long ago), 9:30, 2026-01-31 or 2026-01-31T09:30' },
      until: { value: 'TIME', help: 'before then' },
      last: { value: 'N', count: true, help: 'no more than the last N (50, and all with --since)' },
      follow: { short: 'f', help: 'go on with what comes' },
      json: { help: 'the entries as they stand in the file, one JSON object a line' },
    },
  },
  stop: {
    positionals: [{ ...server, help: `${server.help}; everything when left out` }],
    options: { json: { help: 'print JSON' } },
  },
  arm: {
    positionals: [{ ...server, help: `${server.help}; the only one that waits for it when left out` }],
    options: { yes: { short: 'y', help: 'do not ask: you have looked that nobody is in the way' } },
  },
  status: {
    positionals: [],
    options: { json: { help: 'print JSON' } },
  },
  release: {
    positionals: [
      { name: 'port', required: true, help: `${portForms}; with commas between, where one bridge has several` },
    ],
    options: {
      for: { value: 'SECONDS', count: true, help: 'take it back after so long; otherwise when you press Enter' },
    },
    rest: { name: 'command', help: 'what needs the port: the bridge takes it back when this ends' },
  },
  service: {
    positionals: [ownFile],
    options: {
      install: { help: 'put the unit into place and start it; as root' },
      remove: { help: 'end the service, and take its unit away; as root' },
      name: { value: 'NAME', help: "the service is called ferrule-NAME (the board's name, or that of the file)" },
      user: { value: 'USER', help: 'the user that it runs as (you)' },
      ...serveOptions,
    },
  },
  safe: {
    positionals: [ownFile],
    options: {},
  },
  token: {
    positionals: [
      { name: 'action', required: true, choices: ['create', 'list', 'revoke'], help: 'create, list or revoke' },
      { name: 'name', required: false, help: 'who gets the token: a name of your choice, one for each client' },
    ],
    options: {
      'read-only': { help: 'the token reads the sensors and moves nothing' },
      person: { help: 'the token is for a person at the page, who is not asked before a move; not for a model' },
      expires: { value: 'TIME', help: 'when it stops working: 12h, 90d or 8w from now (never)' },
      file: { value: 'FILE', help: 'the file of tokens (tokens.json in the folder of ferrule in your configuration)' },
    },
  },
  library: {
    positionals: [
      {
        name: 'folder',
        required: false,
        help: 'the folder for libraries; that in the sketchbook (~/Arduino or ~/Documents/Arduino) when left out',
      },
    ],
    options: { force: { help: 'replace another version of it' } },
  },
  emulate: {
    positionals: [
      {
        name: 'file',
        required: false,
        help: 'an Intel HEX file for the ATmega328P at 16 MHz; the greenhouse that comes with ferrule when left out',
      },
    ],
    options: {
      listen: { value: 'HOST:PORT', help: 'where its serial line is (127.0.0.1, and a port that is free)' },
      'reset-on-open': {
        help: 'reset the chip when somebody comes to the line, as an Uno does when its port is opened',
      },
      pins: { help: 'print what the pins do' },
      'while-stdin': { help: 'end when standard input does, for programs that start this one' },
    },
  },
  try: {
    positionals: [{ ...file, required: false, help: `${file.help}, without a chip` }],
    options: {
      simulated: { help: 'without a file: the greenhouse as a board in TypeScript, without a chip and a cable' },
      ...pinOptions,
      once: { help: 'run once through and print a summary; this is so without a terminal' },
      wire: { help: 'show the messages that go over the wire' },
      era: {
        value: 'ERA',
        choices: ['modern', 'legacy'],
        help: 'the protocol to speak: modern (2026-07-28) or legacy',
      },
    },
  },
  host: {
    positionals: [
      {
        name: 'host',
        required: true,
        choices: ['claude-desktop', 'claude-code', 'cursor', 'vscode'],
        help: 'claude-desktop, claude-code, cursor or vscode',
      },
      { ...file, required: false, help: `${file.help}; not with --port` },
    ],
    options: {
      name: { value: 'NAME', help: "the server's name in the host (the board's name); with it the file is not run" },
      port: { value: 'SPEC', many: true, help: `a board on a cable: ${portForms}, or auto` },
      ...lineOptions,
      ...operatorOptions,
      simulate: { help: 'a file only: the same board without its hardware' },
      ...pinOptions,
      ...recordOptions,
    },
  },
} as const satisfies Record<string, Command>
