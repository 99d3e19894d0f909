// File formats that the library writes: safetensors, the format of checkpoints and forecasting models.

export { decodeSafetensors, encodeSafetensors, type StoredTensor } from "./safetensors.ts";
