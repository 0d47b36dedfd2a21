// Reads a response of server-sent events: yields {type, ...fields} for each event that carries JSON.

export async function* readEvents(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let pending = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      pending += value;
      const frames = pending.split("\n\n");
      pending = frames.pop();
      for (const frame of frames) {
        const lines = frame.split("\n").filter((line) => line.startsWith("data:"));
        if (lines.length) yield JSON.parse(lines.map((line) => line.slice(5).trimStart()).join("\n"));
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
