import React from 'react';
export const Button: React.FC<Props> = ({ label, size = 3 }) => {
  return <button title="x" onClick={() => send(label)}>{label}</button>;
};
