// Saves data as a file on the reader's computer, without a request.

export function saveFile(name: string, data: Blob): void {
  const address = URL.createObjectURL(data);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

export function saveText(name: string, type: string, text: string): void {
  saveFile(name, new Blob([text], { type }));
}
