/* The only file that needs floating point: what it holds is linked only into sketches that call it. */
#include "device.h"
#include "internal.h"

static float power_of_ten(uint8_t decimals) {
  float power = 1;
  while (decimals-- > 0) power *= 10;
  return power;
}

ferrule_status ferrule_float(ferrule_reading *reading, float number) {
  const float scaled = number * power_of_ten(ferrule_find_type(reading->sensor->part.members));
  /* Not a number fails both comparisons. */
  if (!(scaled > -2147483000.0f && scaled < 2147483000.0f)) return FERRULE_FAILED;
  return ferrule_number(reading, (int32_t)(scaled < 0 ? scaled - 0.5f : scaled + 0.5f));
}

float ferrule_float_value(const ferrule_call *call, uint8_t position) {
  const ferrule_member *members = ferrule_argument_members(call->actuator, position);
  return (float)ferrule_value(call, position) / power_of_ten(ferrule_find_type(members));
}
