// Settings as lines of text, `name: value`. A value is JSON if it can be read as JSON, else a text.

export function settingsOf(text: string): Record<string, unknown> {
  const settings: Record<string, unknown> = {};
  for (const [i, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const parts = /^\s*([\w.-]+)\s*:\s*(.*?)\s*$/.exec(line);
    if (parts === null || parts[2] === "")
      throw new Error(
        `Line ${i + 1} must be a name, a colon and a value, got ${JSON.stringify(line.trim())}.`,
      );
    settings[parts[1]] = settingValue(parts[2]);
  }
  return settings;
}

function settingValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
