int tm_placeholder(void);
