// Server-sent events, read from bytes as they come (HTML, "Interpreting an event stream").

/** Longest event, characters. */
const EVENT_MAX = 2_000_000;

/** Takes pieces of the stream; gives the data of the events that are complete by then. */
export class EventReader {
  private rest = "";
  private data: string[] = [];
  private size = 0;
  private readonly decoder = new TextDecoder();

  take(bytes: Uint8Array): string[] {
    this.rest += this.decoder.decode(bytes, { stream: true });
    const events: string[] = [];
    // A line may end in a carriage return whose line feed is still to come.
    const end = this.rest.endsWith("\r") ? this.rest.length - 1 : this.rest.length;
    const lines = this.rest.slice(0, end).split(/\r\n|\n|\r/);
    this.rest = (lines.pop() ?? "") + this.rest.slice(end);
    for (const line of lines) this.line(line, events);
    if (this.rest.length + this.size > EVENT_MAX) throw new Error("event too long");
    return events;
  }

  private line(line: string, events: string[]): void {
    if (line === "") {
      if (this.data.length) events.push(this.data.join("\n"));
      [this.data, this.size] = [[], 0];
    } else if (line === "data" || line.startsWith("data:")) {
      const text = line.slice("data:".length);
      this.data.push(text.startsWith(" ") ? text.slice(1) : text);
      this.size += text.length;
    }
  }
}
