/**
 * A text as a word of a line in a unit (systemd.syntax(7)): specifiers and backslashes are taken as they are, and it is
 * quoted where it has to be.
 */
export function unitWord(text: string): string {
  const escaped = text
    .replaceAll('\\', '\\\\')
    .replaceAll('%', '%%')
    .replaceAll('\n', '\\n')
    .replaceAll('\t', '\\t')
    .replaceAll('"', '\\"')
  // A lone semicolon separates commands.
  return /^[^\s"';#]+$/.test(escaped) ? escaped : `"${escaped}"`
}

/** A path in a list of paths to be bound, where a colon that is not quoted stands before another path. */
export function boundPath(path: string): string {
  const word = unitWord(path)
  return path.includes(':') && !word.startsWith('"') ? `"${word}"` : word
}

/** A command line: beside that, no variable of the environment is put in. */
export function commandLine([program, ...words]: readonly string[]): string {
  // The path of the program is never searched for variables.
  return [unitWord(program!), ...words.map(word => unitWord(word).replaceAll('$', '$$$$'))].join(' ')
}

/** What takes the whole rest of a line as it stands, such as a description or a folder. */
export function restOfLine(text: string): string {
  return text
    .replaceAll('%', '%%')
    .replace(/\s*\n\s*/g, ' ')
    .trim()
}

/** A text as a word for a shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
