// Shifts the clock of a process by a day.

const now = Date.now.bind(Date);
Date.now = () => now() + 24 * 3600 * 1000;
